/**
 * The service's description (OpenAPI 3.1), generated from the routes themselves and the schemas of
 * their bodies, so that the description always matches the service.
 */
@NullMarked
package io.ensemble.rest.openapi;

import org.jspecify.annotations.NullMarked;
