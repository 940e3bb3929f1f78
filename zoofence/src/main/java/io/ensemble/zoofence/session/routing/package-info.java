/**
 * A session's requests are validated and routed to an instance or a queue by the flattening and the
 * read preference.
 */
@NullMarked
package io.ensemble.zoofence.session.routing;

import org.jspecify.annotations.NullMarked;
