/** Instances inside this process, to try ZooFence without any other server. */
@NullMarked
package io.ensemble.zoofence.embedded;

import org.jspecify.annotations.NullMarked;
