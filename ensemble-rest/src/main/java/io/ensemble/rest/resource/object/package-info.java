/**
 * Object endpoints serve counters, locks and versioned values of MWMR caches, through handles that
 * stay open.
 */
@NullMarked
package io.ensemble.rest.resource.object;

import org.jspecify.annotations.NullMarked;
