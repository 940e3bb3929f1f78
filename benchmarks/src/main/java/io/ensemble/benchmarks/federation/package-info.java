/** A benchmark federation runs in its own JVM; its clients count their requests to each site. */
@NullMarked
package io.ensemble.benchmarks.federation;

import org.jspecify.annotations.NullMarked;
