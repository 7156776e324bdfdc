//! Bus functional model of conventional PCI at pin level
