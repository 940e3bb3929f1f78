/**
 * The access filter: {@link io.ensemble.rest.gate.AccessFilter} checks the origin of a request,
 * authenticates the caller, checks the caller's permissions and open requests, and writes the
 * audit.
 */
@NullMarked
package io.ensemble.rest.gate;

import org.jspecify.annotations.NullMarked;
