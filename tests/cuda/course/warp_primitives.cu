/* Every warp intrinsic with what it should give: shuffles of all types, votes,
 * matches, reductions, bit tricks. */
#include <cstdio>
#include <cstring>

struct result {
    int any, all, up, down, bfly, idx, width8;
    unsigned ballot, same, brev, perm, funnel, add, most, bits;
    int pred, clz, ffs, popc, byte, clzll;
    long long ll;
    double d;
    unsigned long long mul;
    int hi, hadd, sad;
};

__global__ void all(result *out) {
    int lane = threadIdx.x;
    result r;
    memset(&r, 0, sizeof r);
    r.any = __any_sync(~0u, lane == 31);
    r.all = __all_sync(~0u, lane < 31);
    r.up = __shfl_up_sync(~0u, lane * 2, 3);
    r.down = __shfl_down_sync(~0u, lane * 2, 5);
    r.bfly = __shfl_xor_sync(~0u, lane, 21);
    r.idx = __shfl_sync(~0u, lane * lane, lane * 7 % 32);
    r.width8 = __shfl_sync(~0u, lane, 3, 8);
    r.ll = __shfl_xor_sync(~0u, (long long)lane << 40, 1);
    r.d = __shfl_down_sync(~0u, lane * 0.25, 16);
    r.ballot = __ballot_sync(~0u, lane % 3 == 0);
    r.same = __match_any_sync(~0u, lane / 5);
    __match_all_sync(~0u, lane < 64, &r.pred);
    r.add = __reduce_add_sync(~0u, (unsigned)lane);
    r.most = __reduce_max_sync(~0u, (unsigned)(lane * 13 % 32));
    r.bits = __reduce_xor_sync(~0u, 1u << (lane / 2));
    r.brev = __brev(lane);
    r.perm = __byte_perm(0x03020100u + lane, 0x07060504u, 0x5140);
    r.funnel = __funnelshift_l(0x80000001u, lane, 5);
    r.clz = __clz(lane);
    r.ffs = __ffs(lane << 3);
    r.popc = __popcll((unsigned long long)lane * 0x0101010101ull);
    r.clzll = __clzll((long long)lane << 33);
    r.byte = __dp4a(0x01010101, lane * 0x00010001, 5);
    r.mul = __umul64hi((unsigned long long)lane << 60, 48);
    r.hi = __mulhi(lane << 24, -1000);
    r.hadd = __rhadd(lane, -4);
    r.sad = __sad(lane, 10, 1);
    if (lane < 8) { /* a part of the warp */
        unsigned mask = __activemask();
        r.width8 += __shfl_sync(mask, lane, 7);
        __syncwarp(mask);
    }
    out[lane] = r;
}

static unsigned reversed(unsigned v) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) {
        r |= (v >> i & 1) << (31 - i);
    }
    return r;
}

int main() {
    result got[32], *d;
    int wrong = 0;
    cudaMalloc(&d, sizeof got);
    all<<<1, 32>>>(d);
    cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost);
    for (int l = 0; l < 32; l++) {
        result &r = got[l];
        unsigned same = 0, ballot = 0;
        for (int k = 0; k < 32; k++) {
            same |= (unsigned)(k / 5 == l / 5) << k;
            ballot |= (unsigned)(k % 3 == 0) << k;
        }
        wrong += r.any != 1 || r.all != 0;
        wrong += r.up != (l < 3 ? l : l - 3) * 2;
        wrong += r.down != (l > 26 ? l : l + 5) * 2;
        wrong += r.bfly != (l ^ 21);
        wrong += r.idx != (l * 7 % 32) * (l * 7 % 32);
        wrong += r.width8 != l / 8 * 8 + 3 + (l < 8 ? 7 : 0);
        wrong += r.ll != (long long)(l ^ 1) << 40;
        wrong += r.d != (l < 16 ? l + 16 : l) * 0.25;
        wrong += r.ballot != ballot || r.same != same || r.pred != 1;
        wrong += r.add != 496 || r.most != 31 || r.bits != 0;
        wrong += r.brev != reversed(l);
        unsigned a = 0x03020100u + l;
        wrong += r.perm != ((a & 0xff) | 0x04u << 8 | (a >> 8 & 0xff) << 16 |
                            0x05u << 24);
        wrong += r.funnel != ((unsigned)l << 5 | 0x80000001u >> 27);
        wrong += r.clz != (l == 0 ? 32 : __builtin_clz(l));
        wrong += r.ffs != __builtin_ffs(l << 3);
        wrong += r.popc != __builtin_popcountll(l * 0x0101010101ull);
        wrong += r.clzll != (l == 0 ? 64 : __builtin_clzll((long long)l << 33));
        wrong += r.byte != 5 + 2 * l;
        wrong += r.mul !=
                 (unsigned long long)(((unsigned __int128)((unsigned long long)l
                                                           << 60) *
                                       48) >>
                                      64);
        wrong += r.hi != (int)(((long long)(l << 24) * -1000) >> 32);
        wrong += r.hadd != ((l - 4 + 1) >> 1);
        wrong += r.sad != (l > 10 ? l - 10 : 10 - l) + 1;
    }
    cudaFree(d);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
