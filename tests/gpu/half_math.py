# Loads, arithmetic in float16 and float32, casts, min and max, a scalar.
@T.prim_func
def half_math(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle):
    A = T.match_buffer(A_ptr, (128, 8), "float16")
    B = T.match_buffer(B_ptr, (128, 8), "float32")
    C = T.match_buffer(C_ptr, (128,), "float32")
    T.device_entry(); T.cta_id([1]); tid = T.thread_id([128])
    total = T.float32(0)
    for j in range(8):
        x = A[tid, j] * T.float16(0.25) + A[tid, (j + 1) % 8]
        total = total + T.cast(x, "float32") * B[tid, j]
        B[tid, j] = T.max(T.cast(x, "float32"), B[tid, j])
    C[tid] = total
