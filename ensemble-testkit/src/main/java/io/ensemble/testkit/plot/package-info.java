/** What pictures of runs have in common: round ticks, axes of time and rate, curves, as SVG. */
@NullMarked
package io.ensemble.testkit.plot;

import org.jspecify.annotations.NullMarked;
