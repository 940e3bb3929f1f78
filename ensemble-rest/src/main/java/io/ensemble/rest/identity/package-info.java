/**
 * Who asks: {@link io.ensemble.rest.identity.Authentication} reads it from a request's bearer
 * token, password or client certificate. Nothing of these is in any message, log line or answer.
 */
@NullMarked
package io.ensemble.rest.identity;

import org.jspecify.annotations.NullMarked;
