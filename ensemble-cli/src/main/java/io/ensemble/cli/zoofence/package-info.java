/** Commands that serve, show and change a ZooFence deployment. */
@NullMarked
package io.ensemble.cli.zoofence;

import org.jspecify.annotations.NullMarked;
