/**
 * Authentication: {@link io.ensemble.rest.identity.Authentication} derives the caller's identity
 * from a request's bearer token, password or client certificate. No message, log line or response
 * contains any of these.
 */
@NullMarked
package io.ensemble.rest.identity;

import org.jspecify.annotations.NullMarked;
