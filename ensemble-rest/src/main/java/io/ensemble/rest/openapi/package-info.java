/**
 * The service's description (OpenAPI 3.1), made from the routes themselves and the schemas of their
 * bodies, so that it cannot tell of another service.
 */
@NullMarked
package io.ensemble.rest.openapi;

import org.jspecify.annotations.NullMarked;
