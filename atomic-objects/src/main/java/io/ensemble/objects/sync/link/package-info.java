/**
 * An object link connects a synchronizer's handle to its atomic object, and supplies the clock that
 * judges leases.
 */
@NullMarked
package io.ensemble.objects.sync.link;

import org.jspecify.annotations.NullMarked;
