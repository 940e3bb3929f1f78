/**
 * A provider of JCache (JSR 107). A cache manager of JCache is a connection to a federation, whose
 * catalog the URI names. A cache of JCache is a view of an Ensemble cache. What differs from a
 * cache of one process is in docs/jcache.md.
 */
@NullMarked
package io.ensemble.jcache;

import org.jspecify.annotations.NullMarked;
