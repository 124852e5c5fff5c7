# The fallback: one thread copies all of an odd region, after a warp's copy in.
@T.prim_func
def one_thread(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (33, 5), "int8")
    B = T.match_buffer(B_ptr, (33, 5), "int8")
    T.device_entry(); T.cta_id([1]); warp_id = T.warp_id([2]); T.lane_id([32]); tid = T.thread_id([64])
    s = T.alloc_buffer((33, 5), "int8", scope="shared")
    Tx.cta.copy(s[0:33, 0:5], A[0:33, 0:5])
    T.cuda.cta_sync()
    Tx.cta.copy(B[0:33, 0:5], s[0:33, 0:5])
