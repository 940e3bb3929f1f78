/**
 * The linearizability checker searches for one order of operations that respects time and a
 * sequential specification, and reports a violation with its timeline.
 */
@NullMarked
package io.ensemble.testkit.linearizability;

import org.jspecify.annotations.NullMarked;
