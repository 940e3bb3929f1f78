/**
 * Heat maps: which keys of a cache are used most, how large its values are, and which sites serve
 * it. A {@link io.ensemble.heat.HeatRecorder} summarizes the operations of one process by sketches
 * of bounded size, one set for each cache and window of time, and publishes each window when it has
 * ended. {@link io.ensemble.heat.HeatMaps} merges the windows of all processes.
 */
@NullMarked
package io.ensemble.heat;

import org.jspecify.annotations.NullMarked;
