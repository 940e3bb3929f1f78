/**
 * One blocking step on several things in parallel: starting, stopping and killing nodes and sites.
 */
@NullMarked
package io.ensemble.testkit.parallel;

import org.jspecify.annotations.NullMarked;
