shape, dtype = (128, 32), "float16"
s_layout = TileLayout(S[shape]); full = (slice(0, 128), slice(0, 32))

@T.prim_func
def copy_async(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, shape, dtype)
    B = T.match_buffer(B_ptr, shape, dtype)
    T.device_entry(); T.cta_id([1]); T.warp_id([4]); T.lane_id([32]); tid = T.thread_id([128])
    A_smem = T.alloc_buffer(shape, dtype, scope="shared", layout=s_layout)
    Tx.cta.copy_async(A_smem[full], A[full], dispatch="ldgsts")   # async global -> shared
    T.ptx.cp_async.wait_group()                                  # ... and waits
    T.cuda.cta_sync()
    Tx.cta.copy(B[full], A_smem[full])
