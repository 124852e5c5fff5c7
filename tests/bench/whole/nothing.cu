// Launches nothing.
#include <cstdio>

int main() {
    std::puts("nothing");
    return 0;
}
