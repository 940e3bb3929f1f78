/**
 * Keys of private caches: a keyset is one or more AES-256-GCM keys for values, of which the primary
 * one encrypts and each decrypts, and perhaps one AES-SIV key for key names. Tink's formats and
 * primitives; nothing here ever shows a key.
 */
@NullMarked
package io.ensemble.keyset;

import org.jspecify.annotations.NullMarked;
