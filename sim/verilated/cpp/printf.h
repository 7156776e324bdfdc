/* Forced into every file of the Verilator runtime, whose VL_PRINTF it is. */
#ifdef __cplusplus
extern "C"
#endif
int verilated_rs_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
