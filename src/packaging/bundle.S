/* bundle.S - the archive of lessons, exercises, profiles and terminals, in the program
 * that `make static` makes (src/base/bundle.h). */
    .section .rodata
    .balign 16
    .globl tc_bundle
tc_bundle:
    .incbin TC_BUNDLE
    .globl tc_bundle_end
tc_bundle_end:
    .byte 0
    .globl tc_bundle_name
tc_bundle_name:
    .asciz TC_BUNDLE_NAME
    .section .note.GNU-stack, "", @progbits
