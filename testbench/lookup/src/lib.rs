//! The lookup cache on the RTL, through firmware, against its model
