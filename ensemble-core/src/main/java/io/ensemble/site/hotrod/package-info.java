/**
 * Sites over Hot Rod: one client of one Infinispan cluster each, its stores created from our own
 * configuration, its errors told as {@link io.ensemble.site.SiteException}. Nothing outside sees a
 * type of Infinispan's.
 */
@NullMarked
package io.ensemble.site.hotrod;

import org.jspecify.annotations.NullMarked;
