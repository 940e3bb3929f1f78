/**
 * What the calls of all quorum engines share: the stores that one call works on, who answered it,
 * and turns among the writers of a key.
 */
@NullMarked
package io.ensemble.cache.call;

import org.jspecify.annotations.NullMarked;
