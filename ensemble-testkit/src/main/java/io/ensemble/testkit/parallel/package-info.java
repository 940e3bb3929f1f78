/** One blocking step on several things at once: starting, stopping and killing nodes and sites. */
@NullMarked
package io.ensemble.testkit.parallel;

import org.jspecify.annotations.NullMarked;
