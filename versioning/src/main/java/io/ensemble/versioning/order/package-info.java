/**
 * Orders of versions: numbers, hybrid clocks, version vectors, and orders of the application, if
 * every two versions have a join (D2.6, appendix A, section III.A).
 */
@NullMarked
package io.ensemble.versioning.order;

import org.jspecify.annotations.NullMarked;
