/** The common parts of pictures of runs: round ticks, axes of time and rate, curves, as SVG. */
@NullMarked
package io.ensemble.testkit.plot;

import org.jspecify.annotations.NullMarked;
