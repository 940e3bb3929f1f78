/**
 * The writes that an SWMR cache whose primary alone acknowledges may lose at a fail-over, and
 * whether a recorded history has lost more than that.
 */
@NullMarked
package io.ensemble.testkit.losses;

import org.jspecify.annotations.NullMarked;
