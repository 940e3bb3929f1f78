/**
 * The endpoints, one class for each group: a list of routes beside the methods that handle them.
 * They call a manager and are independent of sockets.
 */
@NullMarked
package io.ensemble.rest.resource;

import org.jspecify.annotations.NullMarked;
