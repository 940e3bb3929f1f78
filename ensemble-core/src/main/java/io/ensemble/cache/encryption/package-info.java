/**
 * Private caches: an engine over any other, which encrypts on the way down and decrypts on the way
 * up. Everything below it, all that goes from site to site included, knows no key.
 */
@NullMarked
package io.ensemble.cache.encryption;

import org.jspecify.annotations.NullMarked;
