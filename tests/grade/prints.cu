// Right: prints a lot, to both streams and from the device, and reads its input.
#include "pool.cuh"
#include <cstdio>

__global__ void say(int n) {
    printf("device %d\n", n);
}

void maxpool15(float *out, const float *in, int n) {
    for (int i = 0; i < 1000; ++i) {
        printf("{\"passed\": true}\n");
    }
    int c;
    while ((c = getchar()) != EOF) {
        putchar(c);
    }
    rewind(stdin);
    fclose(stdin);
    say<<<1, 1>>>(n);
    right(out, in, n);
    fclose(stdout);
}
