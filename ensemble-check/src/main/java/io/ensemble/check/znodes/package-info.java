/** Clients of ZooFence in a trial, and what is judged of their znodes. */
@NullMarked
package io.ensemble.check.znodes;

import org.jspecify.annotations.NullMarked;
