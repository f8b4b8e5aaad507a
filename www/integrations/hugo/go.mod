module github.com/findling-search/findling/www/integrations/hugo

go 1.21
