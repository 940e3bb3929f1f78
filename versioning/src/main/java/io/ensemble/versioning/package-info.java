/**
 * Versioned caches: every value that a key ever had, under versions that are ordered, on one
 * Infinispan cluster or over several (D2.6, "Versioning", and its appendix A). A key's history is
 * an atomic object ({@code history}); values and the older parts of its index stand in entries of
 * their own, which never change ({@code drive}).
 */
@NullMarked
package io.ensemble.versioning;

import org.jspecify.annotations.NullMarked;
