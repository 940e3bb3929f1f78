/**
 * Private caches: an engine over any other engine that encrypts on the way down and decrypts on the
 * way up. The code below it, including the traffic between sites, has no encryption keys.
 */
@NullMarked
package io.ensemble.cache.encryption;

import org.jspecify.annotations.NullMarked;
