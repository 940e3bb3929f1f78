/** Instances inside this process, to use ZooFence without any other server. */
@NullMarked
package io.ensemble.zoofence.embedded;

import org.jspecify.annotations.NullMarked;
