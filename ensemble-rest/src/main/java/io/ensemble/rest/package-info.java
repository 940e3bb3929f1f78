/**
 * The REST service of a federation: all operations of a manager over HTTP. Any number of processes
 * may run the service in parallel, because none keeps state that another would need. {@link
 * io.ensemble.rest.RestService} is the entry point.
 */
@NullMarked
package io.ensemble.rest;

import org.jspecify.annotations.NullMarked;
