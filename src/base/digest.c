/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c - SHA-256, block by block. */
#include "base/digest.h"

#include "base/buffer.h"

enum { ROUNDS = 64 };

static const uint32_t round_constants[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn_right(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static void digest_block(uint32_t hash[static 8], const unsigned char *block)
{
    uint32_t words[ROUNDS];
    uint32_t v[8];
    for (size_t i = 0; i < 16; i++) {
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
                   block[4 * i + 3];
    }
    for (size_t i = 16; i < ROUNDS; i++) {
        const uint32_t low = words[i - 15];
        const uint32_t high = words[i - 2];
        words[i] = words[i - 16] + (turn_right(low, 7) ^ turn_right(low, 18) ^ low >> 3) + words[i - 7] +
                   (turn_right(high, 17) ^ turn_right(high, 19) ^ high >> 10);
    }
    memcpy(v, hash, sizeof v);
    for (size_t i = 0; i < ROUNDS; i++) {
        const uint32_t chosen = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const uint32_t most = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        const uint32_t first = v[7] + (turn_right(v[4], 6) ^ turn_right(v[4], 11) ^ turn_right(v[4], 25)) + chosen +
                               round_constants[i] + words[i];
        const uint32_t second = (turn_right(v[0], 2) ^ turn_right(v[0], 13) ^ turn_right(v[0], 22)) + most;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (size_t i = 0; i < 8; i++)
        hash[i] += v[i];
}

void mls_digest_begin(mls_digester *self)
{
    *self = (mls_digester){
        .hash = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void mls_digest_feed(mls_digester *self, mls_str text)
{
    const size_t held = (size_t)(self->bytes % MLS_DIGEST_BLOCK);
    const size_t room = MLS_DIGEST_BLOCK - held;
    self->bytes += text.len;
    if (held > 0 && text.len >= room) {
        memcpy(self->rest + held, text.ptr, room);
        digest_block(self->hash, self->rest);
        text = mls_str_rest(text, room);
    } else if (held > 0) {
        memcpy(self->rest + held, text.ptr, text.len);
        return;
    }
    for (; text.len >= MLS_DIGEST_BLOCK; text.ptr += MLS_DIGEST_BLOCK, text.len -= MLS_DIGEST_BLOCK)
        digest_block(self->hash, (const unsigned char *)text.ptr);
    if (text.len > 0)
        memcpy(self->rest, text.ptr, text.len);
}

/* Append the padding: a one bit, zeros, and the length of the text in bits as 8 bytes.  Then format the hash. */
void mls_digest_end(mls_digester *self, char digits[static MLS_DIGEST_BYTES])
{
    const uint64_t bits = self->bytes * 8;
    const size_t held = (size_t)(self->bytes % MLS_DIGEST_BLOCK);
    char last[2 * MLS_DIGEST_BLOCK] = {(char)0x80};
    const size_t end = (held + 9 <= MLS_DIGEST_BLOCK ? 1 : 2) * (size_t)MLS_DIGEST_BLOCK - held;
    for (size_t i = 0; i < 8; i++)
        last[end - 1 - i] = (char)(bits >> (8 * i));
    mls_digest_feed(self, (mls_str){last, end});
    for (size_t i = 0; i < 8; i++)
        (void)mls_text_printf(digits + 8 * i, 9, "%08x", self->hash[i]);
}

void mls_digest(mls_str text, char digits[static MLS_DIGEST_BYTES])
{
    mls_digester digester;
    mls_digest_begin(&digester);
    mls_digest_feed(&digester, text);
    mls_digest_end(&digester, digits);
}
