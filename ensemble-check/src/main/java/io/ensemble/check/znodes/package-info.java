/** Clients of ZooFence in a trial, and the checks of their znodes. */
@NullMarked
package io.ensemble.check.znodes;

import org.jspecify.annotations.NullMarked;
