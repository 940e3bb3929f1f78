/**
 * Clients that repeat requests until they are answered, through several services on real sites that
 * fail, and the properties of the answers.
 */
package io.ensemble.rest.retries;
