/**
 * Versioned caches: every value that a key ever had, under ordered versions, on one Infinispan
 * cluster or several (D2.6, "Versioning", and its appendix A). The history of a key is an atomic
 * object ({@code history}); values and the older parts of its index are in entries of their own,
 * which never change ({@code drive}).
 */
@NullMarked
package io.ensemble.versioning;

import org.jspecify.annotations.NullMarked;
