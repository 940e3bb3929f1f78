/**
 * The primary explorer enumerates the interleavings of reads, writes and fail-overs on one key with
 * a primary copy and leases.
 */
@NullMarked
package io.ensemble.explore.primary;

import org.jspecify.annotations.NullMarked;
