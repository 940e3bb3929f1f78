/**
 * The REST service of a federation: everything that a manager does, over HTTP, by as many processes
 * side by side as one likes, for none keeps anything that another would need. {@link
 * io.ensemble.rest.RestService} is the way in.
 */
@NullMarked
package io.ensemble.rest;

import org.jspecify.annotations.NullMarked;
