# cp.async written by hand, a grid of four CTAs, floor division, a negative one.
@T.prim_func
def by_hand(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (1024,), "int32")
    B = T.match_buffer(B_ptr, (1024,), "int32")
    T.device_entry(); bx = T.cta_id([4]); tid = T.thread_id([64])
    stage = T.alloc_buffer((256,), "int32", scope="shared")
    T.ptx.cp_async(stage.ptr_to([tid * 4]), A.ptr_to([bx * 256 + tid * 4]), 16)
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.cta_sync()
    for j in T.unroll(4):
        k = (tid - 7) // 3 + j
        if k % 2 == 0:
            B[bx * 256 + j * 64 + tid] = stage[255 - (j * 64 + tid)] + k
        else:
            B[bx * 256 + j * 64 + tid] = stage[j * 64 + tid] * 3 - k % 5
