/**
 * Values of a cache in the memory of its reader, with a bound on their age. Begin with {@link
 * io.ensemble.near.NearCache}.
 */
@NullMarked
package io.ensemble.near;

import org.jspecify.annotations.NullMarked;
