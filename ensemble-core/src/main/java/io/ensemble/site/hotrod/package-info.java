/**
 * Sites over Hot Rod: one client of one Infinispan cluster each. Ensemble creates their stores from
 * its own configuration, and reports errors as {@link io.ensemble.site.SiteException}. No type of
 * Infinispan's is visible outside.
 */
@NullMarked
package io.ensemble.site.hotrod;

import org.jspecify.annotations.NullMarked;
