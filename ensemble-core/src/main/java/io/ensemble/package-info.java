/**
 * Ensemble's public face: caches with Infinispan's own API that span several independent Infinispan
 * clusters, each with the consistency that it asks for.
 */
@NullMarked
package io.ensemble;

import org.jspecify.annotations.NullMarked;
