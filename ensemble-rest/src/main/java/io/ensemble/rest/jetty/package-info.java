/**
 * Jetty carries requests and responses of the REST service, within limits on open requests,
 * buffered bytes and slow clients.
 */
@NullMarked
package io.ensemble.rest.jetty;

import org.jspecify.annotations.NullMarked;
