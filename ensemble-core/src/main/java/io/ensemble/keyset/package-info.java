/**
 * Keys of private caches. A keyset has one or more AES-256-GCM keys for values, of which the
 * primary one encrypts and each decrypts, and perhaps one AES-SIV key for key names. The package
 * uses Tink's formats and primitives; no class reveals a key.
 */
@NullMarked
package io.ensemble.keyset;

import org.jspecify.annotations.NullMarked;
