/**
 * How the parts of a distributed cache change while it is used. Keys of the share that moves are
 * served at their former part by those who trust the former <em>generation</em>; then, once that is
 * outwaited, by nobody until they are moved; then at their new part. All other keys are served
 * throughout. A generation is fenced by a <em>mark</em> in each part, read through the part's own
 * reads. Pure: times are handed in.
 */
@NullMarked
package io.ensemble.repartition;

import org.jspecify.annotations.NullMarked;
