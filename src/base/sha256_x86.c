/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rounds of SHA-256 with the SHA extensions of x86-64, about ten times as fast as portable
 * C.  Asks the processor once whether it has them.
 */
#include "base/sha256_parts.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define SHA_TARGET __attribute__((target("sha,sse4.1")))

enum { UNKNOWN, ABSENT, PRESENT };

static int detect(void)
{
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1))
        return ABSENT;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) ? PRESENT : ABSENT;
}

bool sha256_has_instructions(void)
{
    /* Detected once: CPUID can take microseconds in a virtual machine. */
    static _Atomic int detected = UNKNOWN;
    int has = detected;

    if (has == UNKNOWN)
        detected = has = detect();
    return has == PRESENT;
}

/* The instructions want the state in two words: a, b, e, f and c, d, g, h. */
SHA_TARGET static void load_state(const uint32_t state[8], __m128i *abef, __m128i *cdgh)
{
    __m128i dcba = _mm_loadu_si128((const __m128i *)state);
    __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
    __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);

    *abef = _mm_alignr_epi8(cdab, efgh, 8);
    *cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
}

SHA_TARGET static void store_state(uint32_t state[8], __m128i abef, __m128i cdgh)
{
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);

    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

/* The next four words of the message schedule, from the sixteen before them. */
SHA_TARGET static __m128i next_words(const __m128i w[4])
{
    __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]),
                                _mm_alignr_epi8(w[3], w[2], 4));

    return _mm_sha256msg2_epu32(sum, w[3]);
}

SHA_TARGET void sha256_mix_instructions(uint32_t state[8], const uint8_t *block)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i abef, cdgh, abef_was, cdgh_was, w[4];

    load_state(state, &abef, &cdgh);
    abef_was = abef;
    cdgh_was = cdgh;
    for (int i = 0; i < 4; i++)
        w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * i)), swap);
    for (int i = 0; i < SHA256_ROUNDS; i += 4) {
        __m128i k = _mm_loadu_si128((const __m128i *)(sha256_constants + i));
        __m128i wk = _mm_add_epi32(w[0], k), next = next_words(w);

        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(wk, 0x0e));
        w[0] = w[1];
        w[1] = w[2];
        w[2] = w[3];
        w[3] = next;
    }
    store_state(state, _mm_add_epi32(abef, abef_was), _mm_add_epi32(cdgh, cdgh_was));
}

#else

bool sha256_has_instructions(void)
{
    return false;
}

void sha256_mix_instructions(uint32_t state[8], const uint8_t *block)
{
    (void)state;
    (void)block;
}

#endif
