/** Commands that serve, show and change a ZooFence. */
@NullMarked
package io.ensemble.cli.zoofence;

import org.jspecify.annotations.NullMarked;
