# Shared rows of 64 float16 under the 128-byte swizzle.
@T.prim_func
def swizzled(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 64), "float16")
    B = T.match_buffer(B_ptr, (64, 64), "float16")
    T.device_entry(); T.cta_id([1]); T.warp_id([4]); T.lane_id([32]); tid = T.thread_id([128])
    A_smem = T.alloc_buffer((64, 64), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(64, 64) : (64, 1)])))
    Tx.cta.copy_async(A_smem[0:64, 0:64], A[0:64, 0:64])
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.cta_sync()
    for i in range(32):
        B[i * 2 + tid // 64, tid % 64] = A_smem[tid % 64, i * 2 + tid // 64]
